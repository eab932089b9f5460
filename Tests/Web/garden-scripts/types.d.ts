// What TypeScript's own list of the web's interfaces does not have.

interface PickedContact {
    name?: string[];
    tel?: string[];
}

interface Navigator {
    /** The Contact Picker, of Chrome on Android. */
    readonly contacts?: { select(properties: string[], options?: { multiple?: boolean }): Promise<PickedContact[]> };
    /** Whether the page runs from the Home Screen; iPhones and iPads alone have it. */
    readonly standalone?: boolean;
}

interface Window {
    readonly trustedTypes?: {
        createPolicy(name: string, rules: { createScriptURL(url: string): string }): {
            createScriptURL(url: string): string;
        };
    };
}
