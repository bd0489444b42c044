/** Lint rules that oxlint does not have. */
const zodAsNamespace = {
  create(context) {
    return {
      ImportDeclaration(node) {
        const from = node.source.value;
        if (from !== "zod" && from !== "zod/mini") return;
        if (node.specifiers.every((specifier) => specifier.type === "ImportNamespaceSpecifier")) return;
        const message = `Write \`import * as z from "${from}"\`: the other forms bring every locale into the bundle.`;
        context.report({ node, message });
      },
    };
  },
};

/** For src only: the size of other programs does not matter. */
const zodSmallForm = {
  create(context) {
    return {
      ImportDeclaration(node) {
        const from = node.source.value;
        if (from !== "zod" && !from.startsWith("zod/")) return;
        if (from === "zod/mini" || from === "zod/v4/locales/en.js") return;
        const message = 'Write `import * as z from "zod/mini"`: the full form adds 15 kB to the bundle.';
        context.report({ node, message });
      },
    };
  },
};

export default {
  meta: { name: "gantry" },
  rules: { "zod-as-namespace": zodAsNamespace, "zod-small-form": zodSmallForm },
};
