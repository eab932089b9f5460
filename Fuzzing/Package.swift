// swift-tools-version: 6.2
import PackageDescription

// A package of its own, since libFuzzer brings the `main` and everything is built to tell it which branches were taken.
// `scripts/fuzz` builds and runs it.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    // No `main` of ours, also where a target has one file alone.
    .unsafeFlags(["-parse-as-library"]),
]

let package = Package(
    name: "cherish-fuzzing",
    dependencies: [
        .package(name: "cherish", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "FuzzAddressBook",
            dependencies: [
                .product(name: "AddressBook", package: "cherish"),
                .product(name: "CherishService", package: "cherish"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzAccountArchive",
            dependencies: [.product(name: "GardenArchive", package: "cherish")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzPostgresValues",
            dependencies: [.product(name: "Postgres", package: "cherish")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzStoreRows",
            dependencies: [
                .product(name: "CherishCore", package: "cherish"),
                .product(name: "CherishPush", package: "cherish"),
                .product(name: "CherishStore", package: "cherish"),
                .product(name: "CherishWorker", package: "cherish"),
                .product(name: "Postgres", package: "cherish"),
                .product(name: "SystemTimeZones", package: "cherish"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzTimeZoneFile",
            dependencies: [.product(name: "CherishCore", package: "cherish")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzText",
            dependencies: [
                .product(name: "AddressBook", package: "cherish"),
                .product(name: "CherishCore", package: "cherish"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzProviderAnswers",
            dependencies: [.product(name: "CherishProviders", package: "cherish")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "FuzzSettings",
            dependencies: [.product(name: "CherishRuntime", package: "cherish")],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
