/** Alternative names. */
export const presetAliases: Readonly<Record<string, string>> = {
  "11ty": "eleventy",
  cra: "create-react-app",
  nestjs: "nest",
  nextjs: "next",
  nuxtjs: "nuxt",
  "svelte-kit": "sveltekit",
};

/** The name that a framework has in `presets`; unchanged if it has no preset. */
export function presetName(framework: string): string {
  return (Object.hasOwn(presetAliases, framework) ? presetAliases[framework] : undefined) ?? framework;
}
