// Lint rules that oxlint does not have.

/** A rule about imports. @param messageFor the fault of an import, or null */
const importRule = (messageFor) => ({
  create: (context) => ({
    ImportDeclaration(node) {
      const message = messageFor(node, node.source.value);
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

export default {
  meta: { name: "gantry" },
  rules: { "zod-as-namespace": zodAsNamespace, "zod-small-form": zodSmallForm },
};
