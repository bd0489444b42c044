import * as z from "zod/mini";
// By its own path: by way of `z.locales` every language comes into the bundle.
import en from "zod/v4/locales/en.js";

/** Without it, the small form of zod says "Invalid input" of whatever a schema has no message of its own for. */
z.config(en());
