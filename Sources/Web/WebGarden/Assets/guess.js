// Time zone and language as the browser has them, for a person who has not chosen yet: where one has, the server leaves
// out data-guess.

/**
 * The first of the guesses that is an option.
 *
 * @param {string[]} guesses
 * @param {string[]} options
 */
export function bestGuess(guesses, options) {
    return guesses.find(guess => options.includes(guess)) ?? null;
}

/** The browser's languages, without regions: `ko` for `ko-KR`. */
function languages() {
    return navigator.languages.map(language => language.split("-")[0].toLowerCase());
}

/**
 * The option for the browser's time zone. Browsers call some zones by former names, such as Asia/Calcutta; two names
 * are of the same zone if the browser resolves both to the same one.
 *
 * @param {string[]} options
 */
export function timeZoneGuess(options) {
    /** @param {string} [timeZone] */
    const resolved = timeZone => {
        try {
            return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
        } catch {
            return null;
        }
    };
    const own = resolved();
    return own && (bestGuess([own], options) ?? options.find(option => option && resolved(option) === own) ?? null);
}

/** @param {Document} document */
export function begin(document) {
    for (const select of document.querySelectorAll("select")) {
        const { guess } = select.dataset;
        if (!guess) continue;
        const options = [...select.options];
        const preset = Math.max(0, options.findIndex(option => option.defaultSelected));
        // Something else was chosen already, before this ran or before the page was left.
        if (select.selectedIndex !== preset) continue;
        const values = options.map(option => option.value);
        const value = guess === "timeZone" ? timeZoneGuess(values) : bestGuess(languages(), values);
        if (value) select.value = value;
    }
}
