import type { ComponentChildren } from "preact";

/** Settings that few projects change, folded away. A form opens them if one of their fields has an error. */
export function Advanced({ children }: { readonly children: ComponentChildren }) {
  return (
    <details class="advanced">
      <summary>Advanced</summary>
      {children}
    </details>
  );
}
