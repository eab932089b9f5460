// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing of it is built with the product. `scripts/benchmark` runs it.
let package = Package(
    name: "cherish-benchmarks",
    dependencies: [
        .package(name: "cherish", path: ".."),
        // The bare encryption that Web Push is measured beside.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // The grammar of the one command.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // The engine's services take a logger; here it is silent.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // A worker's services are run as in production.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "cherish-benchmarks",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CherishCore", package: "cherish"),
                .product(name: "CherishProviders", package: "cherish"),
                .product(name: "CherishPush", package: "cherish"),
                .product(name: "CherishRuntime", package: "cherish"),
                .product(name: "CherishService", package: "cherish"),
                .product(name: "CherishStore", package: "cherish"),
                .product(name: "CherishTestSupport", package: "cherish"),
                .product(name: "CherishWorker", package: "cherish"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Postgres", package: "cherish"),
                .product(name: "PrivatePostgres", package: "cherish"),
                .product(name: "Secrets", package: "cherish"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemTimeZones", package: "cherish"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]
        )
    ],
    swiftLanguageModes: [.v6]
)
