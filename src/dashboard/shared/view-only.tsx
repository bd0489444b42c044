import type { ComponentChildren } from "preact";

import { useIsMemberSession } from "#dashboard/data/use-is-member-session.ts";

/** Says that the role or the token allows to see something, but not to change it. @param what such as `these settings` */
export function ViewOnlyNotice({ what }: { readonly what: string }) {
  const isMemberSession = useIsMemberSession();
  return (
    <p class="notice">
      {isMemberSession
        ? `Your role lets you see ${what}. Ask an admin to change them.`
        : `Your token lets you see ${what}, but not change them.`}
    </p>
  );
}

type Props = {
  readonly what: string;
  readonly mayChange: boolean;
  readonly children: ComponentChildren;
};

/** The fields of a form. Without the permission to change them, they are disabled, and a notice says why. */
export function ChangeableFields({ what, mayChange, children }: Props) {
  return (
    <>
      {mayChange ? null : <ViewOnlyNotice what={what} />}
      {/* The same element for both, so that no field loses what was typed when a role changes. */}
      <fieldset class="changeable" disabled={!mayChange}>
        {children}
      </fieldset>
    </>
  );
}
