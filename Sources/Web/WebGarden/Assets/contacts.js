// The Contact Picker, where there is one: names and telephone numbers, and nothing else.

const encoder = new TextEncoder();

/** @param {string} text */
function escaped(text) {
    return text.replace(/[\\,;]/g, "\\$&").replace(/\r\n?|\n/g, "\\n");
}

/**
 * Breaks a line of a vCard so that no piece has more than 75 octets, and no character is cut (RFC 6350, 3.2).
 *
 * @param {string} line
 */
export function folded(line) {
    let [text, octets] = ["", 0];
    for (const character of line) {
        const size = encoder.encode(character).length;
        if (octets + size > 75) {
            text += "\r\n ";
            octets = 1;
        }
        text += character;
        octets += size;
    }
    return text;
}

/**
 * A file of vCards 4.0. A contact without a name is called by its number.
 *
 * @param {PickedContact[]} contacts
 */
export function vCards(contacts) {
    const lines = contacts.flatMap(contact => {
        const numbers = (contact.tel ?? []).map(number => number.trim()).filter(Boolean);
        const name = (contact.name ?? []).map(name => name.trim()).find(Boolean) ?? numbers[0];
        if (!name) return [];
        const telephones = numbers.map(number => `TEL:${escaped(number)}`);
        return ["BEGIN:VCARD", "VERSION:4.0", `FN:${escaped(name)}`, ...telephones, "END:VCARD"];
    });
    return lines.map(line => `${folded(line)}\r\n`).join("");
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function field(form, name) {
    const found = form.elements.namedItem(name);
    return found instanceof HTMLInputElement ? found : null;
}

/**
 * @param {HTMLInputElement | null} input
 * @param {(input: HTMLInputElement) => void} change
 */
function fill(input, change) {
    if (!input) return;
    change(input);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
}

/** @param {HTMLFormElement} form */
async function pick(form) {
    const isImport = "import" in form.dataset;
    const contacts = await navigator.contacts?.select(["name", "tel"], { multiple: isImport }) ?? [];
    // None: the person changed their mind.
    if (!contacts.length) return;
    if (isImport) {
        const transfer = new DataTransfer();
        transfer.items.add(new File([vCards(contacts)], "contacts.vcf", { type: "text/vcard" }));
        fill(field(form, "file"), input => { input.files = transfer.files; });
    } else {
        const [{ name, tel }] = contacts;
        fill(field(form, "name"), input => { input.value = name?.[0] ?? ""; });
        fill(field(form, "phone"), input => { input.value = tel?.[0] ?? ""; });
    }
}

/** @param {Document} document */
export function begin(document) {
    if (!navigator.contacts) return;
    for (const button of document.querySelectorAll("button[data-pick-contacts]")) {
        if (!(button instanceof HTMLButtonElement) || !button.form) continue;
        const { form } = button;
        button.hidden = false;
        // A picker that is open already, or may not open, refuses; the form is as it was.
        button.addEventListener("click", () => pick(form).catch(() => {}));
    }
}
