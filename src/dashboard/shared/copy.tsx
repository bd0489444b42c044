import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { Button } from "#dashboard/shared/button.tsx";

const SAID_MS = 2_000;

/** A text to be taken elsewhere as it stands: a command, a secret. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  const [said, setSaid] = useState<"copied" | "refused" | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const shown = useRef<HTMLPreElement>(null);
  // The form that it has come out of may have had the keyboard.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) shown.current?.focus();
  }, []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("copied");
    } catch {
      // Not allowed, or not over HTTPS: it can still be selected.
      setSaid("refused");
    }
  };
  return (
    <div class="copyable">
      <pre ref={shown} tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <Button onClick={copy}>Copy</Button>
      <span role="status" class="quiet">
        {said === "copied" ? "Copied" : said === "refused" ? "Select it and copy it by hand" : ""}
      </span>
    </div>
  );
}
