/// The forward-only migrations as they are embedded in the programs.
///
/// Each file in `sql/migrations` is listed once here and once as a resource in `Package.swift`; it is never edited after
/// it was released.
public enum Schema {
    public struct Migration: Sendable {
        /// 1, 2, 3 …, the number in the file's name.
        public let version: Int
        public let name: String
        public let sql: String

        init(_ version: Int, _ name: String, _ bytes: [UInt8]) {
            self.version = version
            self.name = name
            self.sql = String(decoding: bytes, as: UTF8.self)
        }
    }

    public static let migrations: [Migration] = [
        Migration(1, "care_and_lanes", PackageResources.V0001__care_and_lanes_sql),
        Migration(2, "devices_and_notices", PackageResources.V0002__devices_and_notices_sql),
        Migration(3, "tags_and_imports", PackageResources.V0003__tags_and_imports_sql),
        Migration(4, "undoing_imports", PackageResources.V0004__undoing_imports_sql),
    ]
}
