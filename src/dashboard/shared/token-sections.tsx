import { pathTo } from "#dashboard/router/route.ts";
import { SectionNav } from "#dashboard/shared/section-nav.tsx";

/** The links between the tokens that are kept, and the rules that give tokens to jobs. */
export function TokenSections({ page }: { readonly page: "tokens" | "trust_rules" }) {
  const link = (name: string, to: typeof page) => ({
    name,
    href: pathTo({ page: to }),
    isCurrent: to === page,
  });
  return <SectionNav label="Tokens" links={[link("Tokens", "tokens"), link("Trust rules", "trust_rules")]} />;
}
