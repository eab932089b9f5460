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
        Migration(1, "baseline", PackageResources.V0001__baseline_sql),
        Migration(2, "history_summaries", PackageResources.V0002__history_summaries_sql),
        Migration(3, "citus", PackageResources.V0003__citus_sql),
        Migration(4, "people", PackageResources.V0004__people_sql),
        Migration(5, "versions", PackageResources.V0005__versions_sql),
        Migration(6, "identities", PackageResources.V0006__identities_sql),
        Migration(7, "anonymous_accounts", PackageResources.V0007__anonymous_accounts_sql),
        Migration(8, "phones", PackageResources.V0008__phones_sql),
        Migration(9, "web_push", PackageResources.V0009__web_push_sql),
        Migration(10, "things", PackageResources.V0010__things_sql),
        Migration(11, "stores", PackageResources.V0011__stores_sql),
        Migration(12, "links", PackageResources.V0012__links_sql),
        Migration(13, "alert_wall_minutes", PackageResources.V0013__alert_wall_minutes_sql),
        Migration(14, "plant_changes", PackageResources.V0014__plant_changes_sql),
        Migration(15, "shopping_lists", PackageResources.V0015__shopping_lists_sql),
        Migration(16, "receipts", PackageResources.V0016__receipts_sql),
        Migration(17, "account_changes", PackageResources.V0017__account_changes_sql),
        Migration(18, "edited_items", PackageResources.V0018__edited_items_sql),
        Migration(19, "late_days", PackageResources.V0019__late_days_sql),
        Migration(20, "pauses", PackageResources.V0020__pauses_sql),
        Migration(21, "outages", PackageResources.V0021__outages_sql),
        Migration(22, "whole_gardens", PackageResources.V0022__whole_gardens_sql),
        Migration(23, "outcomes_by_month", PackageResources.V0023__outcomes_by_month_sql),
        Migration(24, "restored_accounts", PackageResources.V0024__restored_accounts_sql),
        Migration(25, "kept_histories", PackageResources.V0025__kept_histories_sql),
        Migration(26, "large_imports", PackageResources.V0026__large_imports_sql),
        Migration(27, "indexed_days", PackageResources.V0027__indexed_days_sql),
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
        ReportFile("25_things", PackageResources._5_things_sql),
        ReportFile("28_lists", PackageResources._8_lists_sql),
        ReportFile("30_history", PackageResources._0_history_sql),
        ReportFile("40_affection", PackageResources._0_affection_sql),
        ReportFile("50_reviews", PackageResources._0_reviews_sql),
        ReportFile("55_retention", PackageResources._5_retention_sql),
        ReportFile("60_pushes", PackageResources._0_pushes_sql),
        ReportFile("70_engine", PackageResources._0_engine_sql),
    ]
}
