import type { ComponentChildren } from "preact";

import { Page } from "#dashboard/shared/page.tsx";

type Props = {
  readonly title: string;
  readonly heading: string;
  readonly children: ComponentChildren;
};

/** A page without the navigation, for people who are not signed in. */
export function LonePage({ title, heading, children }: Props) {
  return (
    <div class="lone">
      <Page
        title={title}
        heading={
          <>
            <img src="/app/assets/icon.svg" alt="" width="32" height="32" />
            {heading}
          </>
        }
      >
        {children}
      </Page>
    </div>
  );
}
