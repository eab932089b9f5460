/// The forward-only migrations and the reports as they are embedded in the programs.
///
/// Each file in `sql/migrations` and `sql/reports` is listed once here and once as a resource in `Package.swift`. A
/// migration is never edited after it was released; a report is.
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
        Migration(5, "roles", PackageResources.V0005__roles_sql),
        Migration(6, "reporting", PackageResources.V0006__reporting_sql),
        Migration(7, "row_level_security", PackageResources.V0007__row_level_security_sql),
        Migration(8, "bounded_partitions", PackageResources.V0008__bounded_partitions_sql),
        Migration(9, "unguessable_ids", PackageResources.V0009__unguessable_ids_sql),
        Migration(10, "readable_rows", PackageResources.V0010__readable_rows_sql),
        Migration(11, "closed_gardens", PackageResources.V0011__closed_gardens_sql),
        Migration(12, "large_gardens", PackageResources.V0012__large_gardens_sql),
    ]

    /// A file of `sql/reports`.
    public struct ReportFile: Sendable {
        /// The file's name without its ending.
        public let name: String
        public let sql: String

        init(_ name: String, _ bytes: [UInt8]) {
            self.name = name
            self.sql = String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Run in this order they replace the schema `report` as a whole. An embedded file loses the first digit of its name.
    public static let reports: [ReportFile] = [
        ReportFile("00_schema", PackageResources._0_schema_sql),
        ReportFile("10_dday", PackageResources._0_dday_sql),
        ReportFile("20_waterings", PackageResources._0_waterings_sql),
        ReportFile("30_history", PackageResources._0_history_sql),
        ReportFile("40_affection", PackageResources._0_affection_sql),
        ReportFile("50_reviews", PackageResources._0_reviews_sql),
        ReportFile("55_retention", PackageResources._5_retention_sql),
        ReportFile("60_pushes", PackageResources._0_pushes_sql),
        ReportFile("70_engine", PackageResources._0_engine_sql),
    ]
}
