import * as z from "zod/mini";
// Imported by its own path, because `z.locales` would add every language to the bundle.
import en from "zod/v4/locales/en.js";

/**
 * Sets the English messages. Without them, zod/mini reports "Invalid input" for every schema without its own message. The
 * dashboard does not import this: it has texts of its own, and its first page must stay small.
 */
z.config(en());
