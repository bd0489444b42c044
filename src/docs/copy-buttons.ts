/** How long a button shows the result. */
const SHOWN_MS = 2_000;

/** Adds a button to each block of code that copies its text. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>(".code")) block.append(copyButton(block));
}

function copyButton(block: HTMLElement): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => {
    void copy(block.querySelector("code")?.textContent ?? "").then((isCopied) => {
      button.textContent = isCopied ? "Copied" : "Cannot copy";
      setTimeout(() => {
        button.textContent = "Copy";
      }, SHOWN_MS);
    });
  });
  return button;
}

/** @returns whether the browser allowed it; over plain HTTP, browsers have no clipboard */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
