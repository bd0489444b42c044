// The build injects it, so that it runs before any other module creates a schema.
import * as z from "zod/mini";

// Without this, zod tests whether it can compile code, which the page's Content-Security-Policy blocks and logs.
z.config({ jitless: true });
