// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

// Each dependency earns its line: what it does for us that we should not do by hand.
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let certificates = Target.Dependency.product(name: "X509", package: "swift-certificates")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")

let package = Package(
    name: "cherish",
    products: [
        .executable(name: "cherish", targets: ["cherish"]),
        .executable(name: "cherish-worker", targets: ["cherish-worker"]),
        .library(name: "AddressBook", targets: ["AddressBook"]),
        .library(name: "CherishCore", targets: ["CherishCore"]),
        .library(name: "CherishPush", targets: ["CherishPush"]),
        .library(name: "CherishProviders", targets: ["CherishProviders"]),
        .library(name: "CherishStore", targets: ["CherishStore"]),
        .library(name: "CherishTestSupport", targets: ["CherishTestSupport"]),
        .library(name: "CherishWorker", targets: ["CherishWorker"]),
        .library(name: "CherishRuntime", targets: ["CherishRuntime"]),
        .library(name: "GardenArchive", targets: ["GardenArchive"]),
        .library(name: "Postgres", targets: ["Postgres"]),
        .library(name: "PrivatePostgres", targets: ["PrivatePostgres"]),
        .library(name: "PrometheusMetrics", targets: ["PrometheusMetrics"]),
        .library(name: "ReportPage", targets: ["ReportPage"]),
        .library(name: "SystemTimeZones", targets: ["SystemTimeZones"]),
    ],
    dependencies: [
        // The grammar, help pages and shell completions of both programs.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Settings from the environment, typed, with secrets kept out of dumps.
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        // Structured log lines; the operator chooses the backend.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // Counters and timers of the worker; the operator chooses the backend.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // Signals and graceful shutdown of the worker's services.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // HTTP/2 and TLS to the push providers.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // The signed tokens that Apple (ES256) and Google (RS256) ask for.
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        // HMAC-SHA256 for webhooks.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // The parts of async-http-client that name addresses, trust roots and errors; the server of /metrics and the
        // test servers are made of them.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        // Certificates of the test servers, made for each run.
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    ],
    targets: [
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev", "pkg-config"])]),
        .systemLibrary(name: "CLibUUID", pkgConfig: "uuid", providers: [.apt(["uuid-dev", "pkg-config"])]),
        .target(name: "CLibPhoneNumber", linkerSettings: [.linkedLibrary("phonenumber")]),

        .target(name: "CherishCore", swiftSettings: strict),
        .target(name: "SystemUUID", dependencies: ["CLibUUID"], swiftSettings: strict),
        .target(name: "SystemTimeZones", dependencies: ["CherishCore"], swiftSettings: strict),
        .target(name: "AddressBook", dependencies: ["CLibPhoneNumber"], swiftSettings: strict),
        .target(name: "Postgres", dependencies: ["CLibPQ"], swiftSettings: strict),
        .target(name: "PrivatePostgres", swiftSettings: strict),
        // Migrations and reports, as bytes in the program: a module of its own because such files compile slowly.
        .target(
            name: "CherishSchema",
            path: "sql",
            exclude: ["README.md", "schema.sql", "citus"],
            sources: ["Schema.swift"],
            resources: [
                .embedInCode("migrations/V0001__care_and_lanes.sql"),
                .embedInCode("migrations/V0002__devices_and_notices.sql"),
                .embedInCode("migrations/V0003__tags_and_imports.sql"),
                .embedInCode("migrations/V0004__undoing_imports.sql"),
                .embedInCode("migrations/V0005__roles.sql"),
                .embedInCode("migrations/V0006__reporting.sql"),
                .embedInCode("migrations/V0007__row_level_security.sql"),
                .embedInCode("migrations/V0008__bounded_partitions.sql"),
                .embedInCode("migrations/V0009__unguessable_ids.sql"),
                .embedInCode("migrations/V0010__readable_rows.sql"),
                .embedInCode("migrations/V0011__closed_gardens.sql"),
                .embedInCode("migrations/V0012__large_gardens.sql"),
                .embedInCode("reports/00_schema.sql"),
                .embedInCode("reports/10_dday.sql"),
                .embedInCode("reports/20_waterings.sql"),
                .embedInCode("reports/30_history.sql"),
                .embedInCode("reports/40_affection.sql"),
                .embedInCode("reports/50_reviews.sql"),
                .embedInCode("reports/55_retention.sql"),
                .embedInCode("reports/60_pushes.sql"),
                .embedInCode("reports/70_engine.sql"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CherishStore",
            dependencies: ["CherishCore", "CherishSchema", "Postgres", "SystemTimeZones", "SystemUUID"],
            swiftSettings: strict
        ),
        // What leaves as a file and comes back: an account as JSON, gardens as vCard, iCalendar and table.
        .target(name: "GardenArchive", dependencies: ["CherishCore"], swiftSettings: strict),
        // Chance that a seed decides, for what is made up: gardens, simulations, tests.
        .target(name: "SeededChance", swiftSettings: strict),
        // Gardens with a past, made up from a seed, for staging and load tests.
        .target(
            name: "GardenGenerator", dependencies: ["CherishCore", "SeededChance", "SystemTimeZones"],
            swiftSettings: strict),
        // One HTML page with pictures of a garden or of the whole service, drawn from its figures alone.
        .target(name: "ReportPage", dependencies: ["CherishCore"], swiftSettings: strict),
        .target(name: "CherishPush", dependencies: ["CherishCore"], swiftSettings: strict),
        // A backend of swift-metrics: what was counted, in Prometheus's text format.
        .target(name: "PrometheusMetrics", dependencies: [metrics], swiftSettings: strict),
        // Apart from CherishPush, so that what needs no network builds without HTTP, TLS and cryptography.
        .target(
            name: "CherishProviders",
            dependencies: [
                "CherishPush", "SystemUUID", asyncHTTPClient, crypto, jwt, logging, metrics, nioHTTP2, nioPosix, nioSSL,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CherishWorker",
            dependencies: ["CherishStore", "CherishPush", "Postgres", logging, metrics, serviceLifecycle],
            swiftSettings: strict
        ),
        .target(
            name: "CherishRuntime",
            dependencies: [
                "AddressBook", "CherishProviders", "CherishPush", "CherishStore", "CherishWorker", "GardenArchive",
                "GardenGenerator", "PrivatePostgres", "PrometheusMetrics",
                configuration, nioHTTP1, nioPosix, nioSSL,
                logging, metrics,
                serviceLifecycle,
            ],
            swiftSettings: strict
        ),
        // Months in virtual time with everything that goes wrong, and an oracle that looks whether promises are kept.
        .target(
            name: "Simulation",
            dependencies: [
                "CherishCore", "CherishPush", "CherishStore", "CherishWorker", "Postgres", "PrivatePostgres",
                "SeededChance", "SystemTimeZones", logging,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "CherishTestSupport",
            dependencies: [
                "CherishStore", "Postgres", "PrivatePostgres", certificates, crypto, cryptoExtras, jwt, nioHTTP1,
                nioHTTP2, nioPosix, nioSSL,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "cherish",
            dependencies: [
                "AddressBook", "CherishRuntime", "GardenArchive", "GardenGenerator", "ReportPage", "Simulation",
                argumentParser,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "cherish-worker", dependencies: ["CherishRuntime", argumentParser], swiftSettings: strict),

        .testTarget(
            name: "CherishCoreTests",
            dependencies: ["CherishCore", "CherishTestSupport", "SeededChance", "SystemTimeZones"],
            swiftSettings: strict),
        .testTarget(
            name: "AddressBookTests", dependencies: ["AddressBook", "CherishTestSupport", "SeededChance"],
            swiftSettings: strict),
        .testTarget(
            name: "GardenArchiveTests",
            dependencies: ["AddressBook", "CherishTestSupport", "GardenArchive", "SeededChance"],
            swiftSettings: strict),
        .testTarget(
            name: "GardenGeneratorTests", dependencies: ["CherishCore", "GardenGenerator", "SystemTimeZones"],
            swiftSettings: strict),
        .testTarget(
            name: "PostgresTests", dependencies: ["CLibPQ", "Postgres", "CherishTestSupport", "PrivatePostgres"],
            swiftSettings: strict),
        .testTarget(
            name: "PrivatePostgresTests", dependencies: ["CherishTestSupport", "PrivatePostgres", "Postgres"],
            swiftSettings: strict),
        .testTarget(
            name: "CherishStoreTests",
            dependencies: [
                "CherishSchema", "CherishStore", "CherishPush", "CherishWorker", "CherishTestSupport",
                "GardenGenerator", "SeededChance", "SystemTimeZones", logging,
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "CherishPushTests", dependencies: ["CherishPush"], swiftSettings: strict),
        .testTarget(name: "ReportPageTests", dependencies: ["CherishCore", "ReportPage"], swiftSettings: strict),
        .testTarget(
            name: "CherishProvidersTests",
            dependencies: [
                "CherishCore", "CherishProviders", "CherishPush", "CherishTestSupport", "PrometheusMetrics", crypto,
                jwt, logging, metrics, nioHTTP1, nioPosix, nioSSL,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PrometheusMetricsTests", dependencies: ["PrometheusMetrics", metrics], swiftSettings: strict),
        .testTarget(
            name: "CherishRuntimeTests",
            dependencies: ["CherishRuntime", "CherishTestSupport", "PrometheusMetrics", nioHTTP1, nioPosix],
            swiftSettings: strict),
        .testTarget(
            name: "CommandLineTests",
            dependencies: ["cherish", "cherish-worker", "CherishTestSupport", "PrivatePostgres"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["CherishCore", "CherishPush", "CherishStore", "CherishTestSupport", "Simulation"],
            swiftSettings: strict
        ),
        .testTarget(name: "StyleTests", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
