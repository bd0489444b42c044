/** In localStorage: the person has just created their first passkey here, and has not answered the hint yet. */
const KEY = "gantry.recovery-hint";

/** Whether to suggest recovery codes to the person who is signed in. */
export const hasRecoveryHint = (): boolean => localStorage.getItem(KEY) !== null;

/** Suggests recovery codes from now on. Called after a person has created their first passkey. */
export const startRecoveryHint = (): void => localStorage.setItem(KEY, "1");

/** Called when the person has created recovery codes, or wants none. */
export const endRecoveryHint = (): void => localStorage.removeItem(KEY);
