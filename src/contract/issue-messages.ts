import * as z from "zod/mini";
// Imported by its own path, because `z.locales` would add every language to the bundle.
import en from "zod/v4/locales/en.js";

/** Sets the English messages. Without them, zod/mini reports "Invalid input" for every schema without its own message. */
z.config(en());
