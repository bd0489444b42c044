// Lint rules that oxlint does not have.

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A rule about imports. @param messageFor the fault of an import, or null */
const importRule = (messageFor) => ({
  create: (context) => ({
    ImportDeclaration(node) {
      const message = messageFor(node, node.source.value, context.filename);
      if (message !== null) context.report({ node, message });
    },
  }),
});

const zodAsNamespace = importRule(({ specifiers }, from) => {
  if (from !== "zod" && from !== "zod/mini") return null;
  if (specifiers.every(({ type }) => type === "ImportNamespaceSpecifier")) return null;
  return `Write \`import * as z from "${from}"\`: the other forms bring every locale into the bundle.`;
});

/** For src only: the size of other programs does not matter. */
const zodSmallForm = importRule((_, from) => {
  if (from !== "zod" && !from.startsWith("zod/")) return null;
  if (from === "zod/mini" || from === "zod/v4/locales/en.js") return null;
  return 'Write `import * as z from "zod/mini"`: the full form adds 15 kB to the bundle.';
});

const architecture = join("docs", "architecture.md");

/** The folders of src/agent in the order in which they may import each other, from the top. */
const agentFolders = readFileSync(join(import.meta.dirname, "..", "..", architecture), "utf8")
  .split("**`src/agent`**")[1]
  .split("**`src/build`**")[0]
  .matchAll(/^\| `(\w+)\/` \|/gm)
  .map(([, folder]) => folder)
  .toArray();

const agentOrder = importRule(({ importKind }, imported, path) => {
  const from = /\/src\/agent\/(\w+)\//.exec(path)?.[1];
  const to = /^#agent\/(\w+)\//.exec(imported)?.[1];
  if (from === undefined || to === undefined || importKind === "type") return null;
  const unlisted = [from, to].find((folder) => !agentFolders.includes(folder));
  if (unlisted !== undefined) return `${architecture} does not list the folder ${unlisted} of src/agent.`;
  if (agentFolders.indexOf(to) >= agentFolders.indexOf(from)) return null;
  return `${from} may not import from ${to}: ${architecture} lists ${to} above it. Move the code that both need further down.`;
});

export default {
  meta: { name: "gantry" },
  rules: {
    "agent-order": agentOrder,
    "zod-as-namespace": zodAsNamespace,
    "zod-small-form": zodSmallForm,
  },
};
