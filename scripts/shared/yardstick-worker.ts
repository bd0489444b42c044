import { writeFile } from "node:fs/promises";

/** Chosen so that the start takes about as long as the Worker's. */
const PARTS = 2_400;

/**
 * Writes a Worker whose start is always the same work, of the kind that the Worker's start is: parsing a few hundred
 * kilobytes, building schemas out of closures and joining texts. How long it takes says how fast the machine is.
 * @param file as `packReleaseBundle` writes one, for `startupMs`
 */
export async function packYardstick(file: string): Promise<void> {
  const form = new FormData();
  const metadata = { main_module: "main.js", bindings: [], compatibility_date: "2026-11-02" };
  form.set("metadata", JSON.stringify(metadata));
  const type = "application/javascript+module";
  form.set("main.js", new File([yardstickCode()], "main.js", { type }));
  await writeFile(file, await new Response(form).bytes());
}

const HELPERS = `
class Schema {
  constructor(kind, checks) {
    this.kind = kind;
    this.checks = checks;
    this.parse = (value) => checks.every((check) => check(value));
    Object.defineProperty(this, "about", { get: () => kind + checks.length, configurable: true });
  }
}
const schema = (kind, ...checks) => new Schema(kind, checks);
const object = (fields) => {
  const entries = Object.entries(fields);
  const all = schema("object", (value) => entries.every(([name, field]) => field.parse(value[name])));
  return Object.assign(all, { names: entries.map(([name]) => name).join(", "), fields: { ...fields } });
};
const parts = new Map();
`;

function yardstickCode(): string {
  const parts = Array.from({ length: PARTS }, (_, at) => {
    const fields = [
      `name_${at}: schema("string", (value) => typeof value === "string", (value) => value.length < ${at})`,
      `count_${at}: schema("number", (value) => Number.isInteger(value) && value > ${at})`,
    ];
    return `const part${at} = object({ ${fields.join(", ")} });
parts.set("part ${at} of ${PARTS}", { part: part${at}, read: (value) => part${at}.parse(value) ? value : null });`;
  });
  const end = `export default { fetch: () => new Response(String(parts.size)) };`;
  return [HELPERS, ...parts, end].join("\n");
}
