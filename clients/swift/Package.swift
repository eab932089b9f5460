// swift-tools-version: 6.1
import PackageDescription

// A device's copy of a Cherish garden. It needs Foundation alone, so that any app can use it.
let package = Package(
    name: "cherish-client",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "CherishClient", targets: ["CherishClient"])],
    targets: [
        .target(name: "CherishClient"),
        // Lets scripts/check-devices drive the library; no product.
        .executableTarget(name: "cherish-device", dependencies: ["CherishClient"]),
    ]
)
