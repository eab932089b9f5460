// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

// Each dependency is justified below, in `dependencies`: what it does that we should not write ourselves.
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
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdHTTP2 = Target.Dependency.product(name: "HummingbirdHTTP2", package: "hummingbird")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")

// Modules are layered in floors: `Sources/FLOOR/NAME`, with tests in `Tests/FLOOR/NAMETests`. A module imports lower
// floors, and the few neighbours that FloorTests lists; docs/architecture.md has the map.
func module(_ floor: String, _ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(floor)/\(name)", swiftSettings: strict)
}

func program(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Sources/Apps/\(name)", swiftSettings: strict)
}

func tests(
    _ floor: String, _ name: String, uses dependencies: [Target.Dependency] = [], excluding excluded: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(floor)/\(name)", exclude: excluded,
        // Tests are compiled without optimization in all builds: they test optimized code, and optimizing them takes as long
        // as everything else.
        swiftSettings: strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

let package = Package(
    name: "cherish",
    products: [
        .executable(name: "cherish", targets: ["cherish"]),
        .executable(name: "cherish-picture", targets: ["cherish-picture"]),
        .executable(name: "cherish-server", targets: ["cherish-server"]),
        .executable(name: "cherish-simulate", targets: ["cherish-simulate"]),
        .executable(name: "cherish-worker", targets: ["cherish-worker"]),
        .library(name: "AddressBook", targets: ["AddressBook"]),
        .library(name: "CherishCore", targets: ["CherishCore"]),
        .library(name: "CherishPush", targets: ["CherishPush"]),
        .library(name: "CherishProviders", targets: ["CherishProviders"]),
        .library(name: "CherishStore", targets: ["CherishStore"]),
        .library(name: "CherishTestSupport", targets: ["CherishTestSupport"]),
        .library(name: "CherishWorker", targets: ["CherishWorker"]),
        .library(name: "CherishRuntime", targets: ["CherishRuntime"]),
        .library(name: "CherishService", targets: ["CherishService"]),
        .library(name: "GardenArchive", targets: ["GardenArchive"]),
        .library(name: "Postgres", targets: ["Postgres"]),
        .library(name: "PrivatePostgres", targets: ["PrivatePostgres"]),
        .library(name: "PrometheusMetrics", targets: ["PrometheusMetrics"]),
        .library(name: "ReportPage", targets: ["ReportPage"]),
        .library(name: "Secrets", targets: ["Secrets"]),
        .library(name: "SignInProviders", targets: ["SignInProviders"]),
        .library(name: "SystemTimeZones", targets: ["SystemTimeZones"]),
    ],
    dependencies: [
        // Command-line parsing, help pages and shell completions of all programs.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Typed settings from the environment, with secrets kept out of dumps.
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        // Structured logging; the operator chooses the backend.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        // Counters and timers of the worker; the operator chooses the backend.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // Signals and graceful shutdown of the worker's services.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // HTTP, HTTP/2 and TLS of the server, and HTTP of /metrics and probes. Our own settings and file access take
        // the place of its traits.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        // Child processes without inherited descriptors, zombies or blocked threads.
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        // HTTP/2 and TLS to the push providers.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // The signed tokens that Apple (ES256) and Google (RS256) require.
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        // HMAC-SHA256 for webhooks, encryption and signatures for push services of browsers.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // async-http-client's types for addresses, trust roots and errors; event loops; also the test servers.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        // Hummingbird's parts of requests and answers, for what is done to every answer.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        // Certificates of the test servers, generated on each run.
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    ],
    targets: [
        // Domain
        module("Domain", "CherishCore"),

        // Support
        .systemLibrary(
            name: "CLibPQ", path: "Sources/Support/CLibPQ", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev", "pkg-config"])]),
        .systemLibrary(name: "CEpoll", path: "Sources/Support/CEpoll"),
        .systemLibrary(
            name: "CLibUUID", path: "Sources/Support/CLibUUID", pkgConfig: "uuid",
            providers: [.apt(["uuid-dev", "pkg-config"])]),
        .systemLibrary(
            name: "CLibArgon2", path: "Sources/Support/CLibArgon2", pkgConfig: "libargon2",
            providers: [.apt(["libargon2-dev", "pkg-config"])]),
        .target(
            name: "CLibPhoneNumber", path: "Sources/Support/CLibPhoneNumber",
            linkerSettings: [.linkedLibrary("phonenumber")]),
        .target(
            name: "CLibCurl", path: "Sources/Support/CLibCurl", linkerSettings: [.linkedLibrary("curl")]),
        // Asynchronous functions stay where their caller is: a connection's, on its actor.
        .target(
            name: "Postgres", dependencies: ["CEpoll", "CLibPQ"], path: "Sources/Support/Postgres",
            swiftSettings: strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        module("Support", "PrivatePostgres"),
        .target(name: "CLibGD", path: "Sources/Support/CLibGD", linkerSettings: [.linkedLibrary("gd")]),
        .systemLibrary(
            name: "CLibQPDF", path: "Sources/Support/CLibQPDF", pkgConfig: "libqpdf",
            providers: [.apt(["libqpdf-dev", "pkg-config"])]),
        .systemLibrary(
            name: "CLibDeflate", path: "Sources/Support/CLibDeflate", pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"])]),
        module("Support", "BoundedWork"),
        module("Support", "HTMLMarkup"),
        module("Support", "PictureFormat"),
        module("Support", "DocumentEncoding"),
        module("Support", "SystemUUID", uses: ["CLibUUID"]),
        module("Support", "SystemTimeZones", uses: ["CherishCore"]),
        // Argon2id is Debian's; hashes, HMAC and keys of P-256 are swift-crypto's.
        module("Support", "Secrets", uses: ["CLibArgon2", crypto]),
        module("Support", "SeededChance"),
        module("Support", "PrometheusMetrics", uses: [metrics]),

        // Files
        module("Files", "AddressBook", uses: ["CLibPhoneNumber"]),
        module("Files", "ThingFile", uses: ["AddressBook", "CherishCore", "DocumentEncoding"]),
        module("Files", "StoreFile", uses: ["AddressBook", "CherishCore"]),
        module("Files", "GardenArchive", uses: ["CherishCore", "DocumentEncoding"]),
        module("Files", "GardenGenerator", uses: ["CherishCore", "SeededChance", "SystemTimeZones"]),

        // Storage
        // A separate target, because embedded files compile slowly.
        .target(
            name: "CherishSchema", path: "sql", exclude: ["README.md", "schema.sql", "citus"],
            sources: ["Schema.swift"],
            resources: [
                .embedInCode("migrations/V0001__baseline.sql"),
                .embedInCode("migrations/V0002__history_summaries.sql"),
                .embedInCode("migrations/V0003__citus.sql"),
                .embedInCode("migrations/V0004__people.sql"),
                .embedInCode("migrations/V0005__versions.sql"),
                .embedInCode("migrations/V0006__identities.sql"),
                .embedInCode("migrations/V0007__anonymous_accounts.sql"),
                .embedInCode("migrations/V0008__phones.sql"),
                .embedInCode("migrations/V0009__web_push.sql"),
                .embedInCode("migrations/V0010__things.sql"),
                .embedInCode("migrations/V0011__stores.sql"),
                .embedInCode("migrations/V0012__links.sql"),
                .embedInCode("migrations/V0013__alert_wall_minutes.sql"),
                .embedInCode("migrations/V0014__plant_changes.sql"),
                .embedInCode("migrations/V0015__shopping_lists.sql"),
                .embedInCode("migrations/V0016__receipts.sql"),
                .embedInCode("migrations/V0017__account_changes.sql"),
                .embedInCode("migrations/V0018__edited_items.sql"),
                .embedInCode("migrations/V0019__late_days.sql"),
                .embedInCode("migrations/V0020__pauses.sql"),
                .embedInCode("migrations/V0021__outages.sql"),
                .embedInCode("migrations/V0022__whole_gardens.sql"),
                .embedInCode("migrations/V0023__outcomes_by_month.sql"),
                .embedInCode("migrations/V0024__restored_accounts.sql"),
                .embedInCode("migrations/V0025__kept_histories.sql"),
                .embedInCode("migrations/V0026__large_imports.sql"),
                .embedInCode("migrations/V0027__indexed_days.sql"),
                .embedInCode("reports/00_schema.sql"),
                .embedInCode("reports/10_dday.sql"),
                .embedInCode("reports/20_waterings.sql"),
                .embedInCode("reports/25_things.sql"),
                .embedInCode("reports/28_lists.sql"),
                .embedInCode("reports/30_history.sql"),
                .embedInCode("reports/40_affection.sql"),
                .embedInCode("reports/50_reviews.sql"),
                .embedInCode("reports/55_retention.sql"),
                .embedInCode("reports/60_pushes.sql"),
                .embedInCode("reports/70_engine.sql"),
            ],
            swiftSettings: strict),
        module(
            "Storage", "CherishStore",
            uses: ["CherishCore", "CherishSchema", "Postgres", "SystemTimeZones", "SystemUUID"]),

        // Channels
        module("Channels", "CherishPush", uses: ["CherishCore"]),
        // Separate from CherishPush, so that code without networking builds without HTTP, TLS and cryptography.
        module(
            "Channels", "CherishProviders",
            uses: [
                "CherishPush", "Secrets", "SystemUUID", asyncHTTPClient, crypto, jwt, logging, metrics, nioHTTP2,
                nioPosix, nioSSL,
            ]),

        // Mail and text messages through libcurl, which speaks SMTP.
        module("Channels", "CherishMail", uses: ["CherishCore", "CLibCurl", crypto]),

        // ID tokens of Google and Apple. Separate from CherishProviders, because only the server takes them.
        module("Channels", "SignInProviders", uses: ["CherishCore", asyncHTTPClient, crypto, jwt, logging, nioSSL]),

        // Engine
        module(
            "Engine", "CherishWorker",
            uses: ["CherishStore", "CherishPush", "Postgres", "Secrets", logging, metrics, serviceLifecycle]),

        // Service
        module(
            "Service", "CherishRuntime",
            uses: [
                "CherishPush", "CherishStore", "CherishWorker", "PrivatePostgres", "Secrets", configuration, logging,
            ]),
        // Separate, so that the CLI builds without HTTP and TLS.
        module(
            "Service", "WorkerRuntime",
            uses: [
                "CherishProviders", "CherishRuntime", "PrometheusMetrics", hummingbirdCore, logging, metrics, nioPosix,
                nioSSL, serviceLifecycle,
            ]),
        module("Service", "Pictures", uses: ["BoundedWork", "PictureFormat", subprocess]),
        module(
            "Service", "CherishService",
            uses: [
                "AddressBook", "CherishRuntime", "DocumentEncoding", "GardenArchive", "GardenGenerator", "StoreFile",
                "ThingFile",
                "PrivatePostgres", "Secrets", logging,
            ]),

        // Web
        module(
            "Web", "CherishHTTP",
            uses: [
                "BoundedWork", "CherishService", "DocumentEncoding", "GardenArchive", "PictureFormat", "Pictures",
                hummingbird, hummingbirdCore, hummingbirdHTTP2, logging, metrics, nioHTTP1, nioHTTPTypes,
                nioSSL, nioTLS, serviceLifecycle,
            ]),
        module("Web", "ReportPage", uses: ["CherishCore", "HTMLMarkup"]),
        // `#embed` of C23 compiles large files in no time; an array literal in Swift takes minutes.
        .target(name: "CGardenAssets", path: "Sources/Web/CGardenAssets"),
        .target(
            name: "WebGarden",
            dependencies: [
                "AddressBook", "CGardenAssets", "CherishCore", "CherishHTTP", "CherishService", "CherishStore",
                "CLibDeflate", "DocumentEncoding", "HTMLMarkup", "Secrets", "ThingFile",
            ],
            path: "Sources/Web/WebGarden", exclude: ["Assets"], swiftSettings: strict),

        // Testing
        module(
            "Testing", "CherishTestSupport",
            uses: [
                "CherishCore", "CherishStore", "Postgres", "PrivatePostgres", certificates, crypto, cryptoExtras, jwt,
                logging, nioHTTP1, nioHTTP2, nioPosix, nioSSL,
            ]),
        module(
            "Testing", "Simulation",
            uses: [
                "CherishCore", "CherishPush", "CherishStore", "CherishWorker", "Postgres", "PrivatePostgres",
                "SeededChance", "SystemTimeZones", logging,
            ]),

        // Apps
        program(
            "cherish",
            uses: [
                "AddressBook", "CherishService", "GardenArchive", "GardenGenerator", "ReportPage", "ThingFile",
                argumentParser,
            ]),
        // Only this program links decoders of pictures and PDFs, and it links nothing else.
        program("cherish-picture", uses: ["CLibGD", "CLibQPDF", "PictureFormat"]),
        program(
            "cherish-server",
            uses: [
                "CherishHTTP", "CherishMail", "Pictures", "SignInProviders", "WebGarden", "WorkerRuntime",
                argumentParser,
                logging, metrics, nioSSL, serviceLifecycle,
            ]),
        program("cherish-simulate", uses: ["CherishRuntime", "Simulation", argumentParser]),
        program("cherish-worker", uses: ["WorkerRuntime", argumentParser]),

        tests(
            "Domain", "CherishCoreTests",
            uses: ["CherishCore", "CherishTestSupport", "PrivatePostgres", "SeededChance", "SystemTimeZones"]),
        tests(
            "Support", "PostgresTests", uses: ["CLibPQ", "Postgres", "CherishTestSupport", "PrivatePostgres"]),
        tests(
            "Support", "DocumentEncodingTests", uses: ["CherishTestSupport", "DocumentEncoding", "SeededChance"]),
        tests("Support", "BoundedWorkTests", uses: ["BoundedWork"]),
        tests("Support", "SecretsTests", uses: ["CherishTestSupport", "Secrets"]),
        tests("Support", "PrivatePostgresTests", uses: ["CherishTestSupport", "PrivatePostgres", "Postgres"]),
        tests("Support", "PrometheusMetricsTests", uses: ["PrometheusMetrics", metrics]),
        tests(
            "Files", "ThingFileTests",
            uses: ["AddressBook", "CherishCore", "CherishTestSupport", "GardenArchive", "SystemTimeZones", "ThingFile"]),
        tests("Files", "StoreFileTests", uses: ["AddressBook", "CherishCore", "StoreFile"]),
        tests("Files", "AddressBookTests", uses: ["AddressBook", "CherishTestSupport", "SeededChance"]),
        tests(
            "Files", "GardenArchiveTests",
            uses: ["AddressBook", "CherishTestSupport", "GardenArchive", "SeededChance"]),
        tests("Files", "GardenGeneratorTests", uses: ["CherishCore", "GardenGenerator", "SystemTimeZones"]),
        tests(
            "Storage", "CherishStoreTests",
            uses: [
                "CherishSchema", "CherishStore", "CherishPush", "CherishWorker", "CherishTestSupport",
                "GardenGenerator", "SeededChance", "Simulation", "SystemTimeZones", logging, serviceLifecycle,
            ]),
        tests(
            "Engine", "CherishWorkerTests",
            uses: [
                "CherishCore", "CherishPush", "CherishStore", "CherishTestSupport", "CherishWorker", "SeededChance",
                logging,
            ]),
        tests(
            "Channels", "CherishMailTests", uses: ["CherishCore", "CherishMail", "CherishTestSupport", crypto],
            excluding: ["Fixtures"]),
        tests("Channels", "CherishPushTests", uses: ["CherishPush", "SeededChance"]),
        tests(
            "Channels", "SignInProvidersTests",
            uses: ["CherishCore", "CherishTestSupport", "SignInProviders", crypto, cryptoExtras, logging, nioSSL]),
        tests(
            "Channels", "CherishProvidersTests",
            uses: [
                "CherishCore", "CherishProviders", "CherishPush", "CherishTestSupport", "PrometheusMetrics", "Secrets",
                crypto, jwt, logging, metrics, nioHTTP1, nioPosix, nioSSL,
            ]),
        tests(
            "Service", "CherishRuntimeTests",
            uses: [
                "CherishRuntime", "CherishService", "CherishTestSupport",
            ]),
        tests(
            "Service", "WorkerRuntimeTests",
            uses: [
                "CherishTestSupport", "CherishWorker", "PrometheusMetrics", "WorkerRuntime", logging, nioPosix,
                serviceLifecycle,
            ]),
        tests(
            "Service", "PicturesTests",
            uses: ["cherish-picture", "CherishTestSupport", "PictureFormat", "Pictures", "SeededChance", subprocess],
            excluding: ["Fixtures"]),
        tests("Service", "CherishServiceTests", uses: ["CherishService", "CherishTestSupport"]),
        tests(
            "Web", "CherishHTTPTests",
            uses: [
                "cherish-picture", "CherishCore", "CherishHTTP", "CherishRuntime", "CherishService", "CherishStore",
                "CherishTestSupport", "Pictures", "Postgres", "Secrets", "WebGarden", asyncHTTPClient, logging,
                nioHTTP1,
                nioPosix, nioSSL, serviceLifecycle,
            ]),
        tests("Web", "ReportPageTests", uses: ["CherishCore", "HTMLMarkup", "ReportPage"]),
        tests("Web", "WebGardenTests", uses: ["CherishCore", "CherishTestSupport", "WebGarden"]),
        tests(
            "Apps", "CommandLineTests",
            uses: [
                "cherish", "cherish-picture", "cherish-server", "cherish-simulate", "cherish-worker",
                "CherishTestSupport", "PrivatePostgres",
            ]),
        tests(
            "Testing", "SimulationTests",
            uses: [
                "CherishCore", "CherishPush", "CherishStore", "CherishTestSupport", "Postgres", "SeededChance",
                "Simulation",
            ]),
        tests("Testing", "StyleTests"),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
