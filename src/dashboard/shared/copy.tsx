import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { Button } from "#dashboard/shared/button.tsx";

const MESSAGE_MS = 2_000;

/** A button that copies a text, and shows whether that worked. */
export function CopyButton({
  text,
  variant = "plain",
}: {
  readonly text: string;
  readonly variant?: "plain" | "subtle";
}) {
  const [outcome, setOutcome] = useState<"copied" | "refused" | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), MESSAGE_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      // The clipboard is not allowed, or the page is not served over HTTPS.
      setOutcome("refused");
    }
  };
  return (
    <>
      <Button variant={variant} onClick={copy}>
        Copy
      </Button>
      <span role="status" class="quiet">
        {outcome === "copied"
          ? "Copied"
          : outcome === "refused"
            ? "Cannot copy here. Select the text and copy it."
            : ""}
      </span>
    </>
  );
}

type CopyableProps = {
  readonly text: string;
  readonly label: string;
  /** Whether the text takes the place of a form, and so the form's focus. */
  readonly replacesForm?: boolean;
};

/** A text with a copy button: a command or a secret. */
export function Copyable({ text, label, replacesForm = false }: CopyableProps) {
  const shown = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (replacesForm && document.activeElement === document.body) shown.current?.focus();
  }, []);
  return (
    <div class="copyable">
      <pre ref={shown} tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}
