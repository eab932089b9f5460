import Foundation
import PictureFormat
import Pictures
import Testing

@Suite("Pictures as they are stored", .timeLimit(.minutes(30)))
struct PictureTests {
    @Test(
        "every kind becomes what Pillow makes of it: upright, on white, cut to its centre and scaled down",
        .enabled(if: Judgement.isPossible))
    func judged() async throws {
        let names = try pictureNames()
        let judgements = try await Judgement.all(of: names)
        #expect(judgements.map(\.name) == names)
        #expect(names.count > 30)
        for judgement in judgements {
            #expect(judgement.format == "JPEG", "\(judgement)")
            #expect(judgement.mode == "RGB", "\(judgement)")
            #expect(judgement.metadata == [], "\(judgement)")
            // Their size is that of Pillow's, too: otherwise the difference is 255.
            #expect(judgement.difference < 8, "\(judgement)")
        }
    }

    @Test(
        "a picture is never scaled up",
        arguments: [("dot.png", 1), ("thin.png", 1), ("rgb.png", 32), ("large.jpg", 512)])
    func sizes(name: String, side: Int) async throws {
        let header = try PictureHeader(try await maker.picture(from: fixture(name)))
        #expect(header.width == side)
        #expect(header.height == side)
        #expect(header.orientation == 1)
    }

    @Test(
        "nothing of the file remains: no place, camera, comment, profile or resolution",
        arguments: ["jpg", "png", "webp"])
    func metadata(kind: String) async throws {
        let original = try fixture("location.\(kind)")
        let marker = Data("whereabouts".utf8)
        #expect(Data(original).range(of: marker) != nil)
        let stored = try await maker.picture(from: original)
        for trace in ["whereabouts", "Exif", "ICC_PROFILE", "http:", "Photoshop", "gd-jpeg"] {
            #expect(Data(stored).range(of: Data(trace.utf8)) == nil, "\(trace)")
        }
        // The head of JFIF with the resolution of every picture, then nothing but tables, the frame and the scan.
        let segments = Array(JPEGSegments(stored))
        let head = try #require(segments.first)
        #expect(Array(stored[head.content]) == Array("JFIF\0".utf8) + [1, 1, 1, 0, 96, 0, 96, 0, 0])
        #expect(Set(segments.dropFirst().map(\.marker)) == [0xdb, 0xc0, 0xc4, 0xda, 0xd9])
        #expect(segments.last?.whole.upperBound == stored.count)
    }

    @Test("the same picture without its metadata is stored as the same bytes")
    func independent() async throws {
        let stored = try await maker.picture(from: fixture("location.jpg"))
        let plain = try await maker.picture(from: fixture("orientation-1.jpg"))
        #expect(stored == plain)
    }
}
