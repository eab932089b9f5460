import CherishCore
import Foundation
import HTMLMarkup

/// A small map of places around somebody: north is up, and rings tell the distance. Nobody else's server draws it, so
/// nobody else learns where the person is.
struct PlaceMap: Sendable {
    /// Half the width of the picture, and the radius of its outer ring.
    private static let half = 160.0
    private static let outerRing = 140.0
    /// What rings may tell, in metres.
    private static let steps = [100.0, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]

    private struct Point {
        let x, y: Double
    }

    private let points: [Point]
    /// The distance that the outer ring tells, in metres.
    private let reach: Double

    init(_ nearby: StorePage.Nearby) {
        let furthest = nearby.places.map(\.distance).max() ?? 0
        let reach = Self.steps.first { $0 >= furthest } ?? furthest
        self.reach = reach
        points = nearby.places.map { found in
            let bearing = Self.bearing(from: nearby.position, to: found.place.position)
            let distance = found.distance / reach * Self.outerRing
            return Point(x: sin(bearing) * distance, y: -cos(bearing) * distance)
        }
    }

    /// The direction in which a great circle begins, clockwise from north, in radians.
    static func bearing(from start: Position, to end: Position) -> Double {
        let (first, second) = (start.latitude * .pi / 180, end.latitude * .pi / 180)
        let turn = (end.longitude - start.longitude) * .pi / 180
        return atan2(sin(turn) * cos(second), cos(first) * sin(second) - sin(first) * cos(second) * cos(turn))
    }

    /// `350 m`, `1.2 km`.
    static func kilometres(_ metres: Double) -> String {
        metres < 999.5 ? "\(Int(metres.rounded())) m" : String(format: "%.1f km", metres / 1000)
    }

    func markup(_ words: Words) -> Markup {
        let rings = [0.5, 1].map { part -> Markup in
            let radius = Self.outerRing * part
            return """
                <circle class="ring" r="\(Self.text(radius))"/>\
                <text class="scale" y="\(Self.text(radius - 4))">\(Self.kilometres(reach * part))</text>

                """
        }
        // The nearest are drawn last, above the others.
        let places = points.enumerated().reversed().map { index, point -> Markup in
            """
            <g transform="translate(\(Self.text(point.x)) \(Self.text(point.y)))"><circle class="place" r="11"/>\
            <text class="number" dy=".35em">\(index + 1)</text></g>

            """
        }
        let half = Int(Self.half)
        return """
            <svg class="place-map card" viewBox="-\(half) -\(half) \(2 * half) \(2 * half)" role="img" \
            aria-label="\(words("가까운 곳의 지도, 위가 북쪽", "Map of the places nearby, north is up"))">
            \(rings)<text class="north" y="-\(half - 14)">\(words("북", "N"))</text>
            <circle class="here" r="6"/>
            \(places)</svg>

            """
    }

    private static func text(_ number: Double) -> String { String(format: "%.1f", number) }
}
