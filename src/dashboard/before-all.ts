// A script of its own, which runs before all others: zod asks when a schema is made, and they are made by being imported.
import * as z from "zod/mini";

// Else it would try whether it may make code at run time, which the page's policy forbids and reports.
z.config({ jitless: true });
