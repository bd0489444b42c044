import type { Locator, Page } from "playwright-core";

import { hasFocus } from "./browser.ts";

/** More stops than any page has. */
const MOST_STOPS = 150;

/** Somebody who has no mouse. */
export type Keyboard = {
  /** Goes there by Tab alone. @throws where Tab does not lead there, or does not show that it is there */
  readonly goTo: (target: Locator) => Promise<void>;
  /** Goes there and presses a key, Enter where none is named. */
  readonly press: (target: Locator, key?: string) => Promise<void>;
  /** Goes there, and writes in place of what was there. */
  readonly write: (target: Locator, text: string) => Promise<void>;
};

export function keyboardOf(page: Page): Keyboard {
  const goTo = async (target: Locator) => {
    await target.waitFor();
    for (let stops = 0; !(await hasFocus(target)); stops += 1) {
      if (stops === MOST_STOPS) throw new Error(`Tab does not lead to ${String(target)}`);
      await page.keyboard.press("Tab");
    }
    const isSeen = await target.evaluate((element) => {
      const view = element.ownerDocument.defaultView;
      const outlines = [null, "::after"].map((part) => view?.getComputedStyle(element, part).outlineStyle);
      return element.matches(":focus-visible") && outlines.some((outline) => outline !== "none");
    });
    if (!isSeen) throw new Error(`Nothing shows that the keyboard is at ${String(target)}`);
  };
  return {
    goTo,
    async press(target, key = "Enter") {
      await goTo(target);
      await page.keyboard.press(key);
    },
    async write(target, text) {
      await goTo(target);
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(text);
    },
  };
}
