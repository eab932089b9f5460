// Hides the page of a device with a lock before anything shows; lock.js covers it then, or shows it. A plain script in
// <head>, because modules run only after the page was shown.

try {
    if (localStorage.getItem("lock")) document.documentElement.style.setProperty("visibility", "hidden");
} catch {
    // Without storage there is no lock.
}
