import * as z from "zod";

import { runAttached } from "./shared/run-command.ts";
import { flag, option, runScript } from "./shared/script.ts";

await runScript(
  {
    usage: "npm run migration -- [options]",
    summary: "Generates a migration from the changes of the tables in src/worker/db, into migrations/.",
    options: z.object({
      name: option("NAME", "the name of the migration; random by default", z.string().min(1).optional()),
      custom: flag("create an empty migration, for SQL that you write"),
    }),
  },
  ({ name, custom }) =>
    runAttached([
      "drizzle-kit",
      "generate",
      ...(name === undefined ? [] : ["--name", name]),
      ...(custom ? ["--custom"] : []),
    ]),
);
