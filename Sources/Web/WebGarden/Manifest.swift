import CherishCore
import DocumentEncoding

/// What a system knows of the garden once it is on the home screen (W3C Web Application Manifest).
enum Manifest {
    static func file(_ words: Words) -> GardenAssets.File {
        let assets = GardenAssets.shared
        func icon(_ name: String, _ sizes: String, purpose: String = "any") -> JSONValue {
            [
                "src": .string(assets.path(name)), "sizes": .string(sizes), "purpose": .string(purpose),
                "type": name.hasSuffix(".svg") ? "image/svg+xml" : "image/png",
            ]
        }
        func shortcut(_ name: String, _ path: String) -> JSONValue {
            ["name": .string(name), "url": .string(path), "icons": [icon("icon-192.png", "192x192")]]
        }
        let manifest: JSONValue = [
            "id": "/", "start_url": "/", "scope": "/", "display": "standalone", "name": "Cherish",
            "short_name": "Cherish",
            "lang": .string(words.language.rawValue), "dir": "ltr",
            "description": .string(words("소중한 사람들과 가까이 지내요", "Stay close to the people you cherish")),
            "background_color": "#f6f3ec", "theme_color": "#f6f3ec",
            "icons": [
                icon("icon.svg", "any"), icon("icon-192.png", "192x192"), icon("icon-512.png", "512x512"),
                icon("icon-maskable-512.png", "512x512", purpose: "maskable"),
            ],
            "shortcuts": [
                shortcut(words("물 주기", "Water"), "/water"), shortcut(words("오늘", "Today"), "/plants"),
            ],
            "share_target": [
                "action": "/me/imports", "method": "POST", "enctype": "multipart/form-data",
                "params": ["files": [["name": "file", "accept": ["text/vcard", "text/x-vcard", ".vcf", "text/csv"]]]],
            ],
        ]
        return GardenAssets.File(
            name: "manifest.webmanifest", mediaType: "application/manifest+json",
            bytes: (try? DocumentEncoder.bytes(of: manifest)) ?? [])
    }
}
