import { pathTo } from "#dashboard/router/route.ts";
import { SectionNav } from "#dashboard/shared/section-nav.tsx";

/** The links between the people of an account and how they sign in. */
export function MemberSections({ page }: { readonly page: "members" | "sign_in_settings" }) {
  const link = (name: string, to: typeof page) => ({
    name,
    href: pathTo({ page: to }),
    isCurrent: to === page,
  });
  return (
    <SectionNav
      label="Members"
      links={[link("Members", "members"), link("Sign-in settings", "sign_in_settings")]}
    />
  );
}
