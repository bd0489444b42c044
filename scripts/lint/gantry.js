/** Lint rules that oxlint does not have. */
const zodAsNamespace = {
  create(context) {
    return {
      ImportDeclaration(node) {
        if (node.source.value !== "zod") return;
        if (node.specifiers.every((specifier) => specifier.type === "ImportNamespaceSpecifier")) return;
        const message =
          'Write `import * as z from "zod"`: the other forms bring every locale into the bundle.';
        context.report({ node, message });
      },
    };
  },
};

export default { meta: { name: "gantry" }, rules: { "zod-as-namespace": zodAsNamespace } };
