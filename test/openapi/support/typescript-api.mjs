// The generators make their code with the API of TypeScript up to version 6, which the compiler here no longer has.
// A copy of it is part of @ts-morph/common; beside the compiler it could not be installed, as both are `tsc`.
import { registerHooks } from "node:module";

const typescript = new URL("./typescript.js", import.meta.resolve("@ts-morph/common")).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "typescript"
      ? { url: typescript, format: "commonjs", shortCircuit: true }
      : next(specifier, context),
});
