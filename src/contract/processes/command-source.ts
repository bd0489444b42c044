import * as z from "zod/mini";

/** Where a command is from that the project's settings do not have. `preset`: the preset of its framework. */
export const CommandSource = z.enum(["gantry.json", "Procfile", "preset"]);
export type CommandSource = z.infer<typeof CommandSource>;

/** Where a command is from, for people: `from Procfile`. */
export function sourceText(source: CommandSource | "project"): string {
  switch (source) {
    case "project":
      return "from the settings";
    case "preset":
      return "from the preset";
    case "gantry.json":
    case "Procfile":
      return `from ${source}`;
  }
}
