/// What people call a browser and the system that it runs on.
enum Browser {
    /// What only they say of themselves; the first one counts, because many also claim to be those further down.
    private static let names = [
        ("KAKAOTALK", "KakaoTalk"), ("SamsungBrowser", "Samsung Internet"), ("Whale", "Whale"), ("Edg", "Edge"),
        ("OPR", "Opera"), ("FxiOS", "Firefox"), ("Firefox", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"),
        ("Safari", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
        ("Macintosh", "Mac"), ("Linux", "Linux"),
    ]

    /// - Parameter userAgent: the header of that name.
    /// - Returns: such as `Firefox, Linux`; nil for what is no known browser.
    static func name(_ userAgent: String) -> String? {
        guard let browser = names.first(where: { userAgent.contains($0.0) })?.1 else { return nil }
        guard let system = systems.first(where: { userAgent.contains($0.0) })?.1 else { return browser }
        return "\(browser), \(system)"
    }
}
