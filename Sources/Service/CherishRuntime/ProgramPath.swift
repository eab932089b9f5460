import Foundation

/// Where the programs lie: all in one folder.
public enum ProgramPath {
    /// The path of another program, whether it is there or not.
    public static func beside(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name).path
    }
}
