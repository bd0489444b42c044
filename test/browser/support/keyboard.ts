import { setTimeout as pause } from "node:timers/promises";

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** How long a page may take to show the focus again after its content has changed. */
const SETTLING_MS = 10_000;
/** More tab stops than any page has. */
const MOST_STOPS = 150;

/** A user with only a keyboard. Each step checks that the focus is visible and that Tab follows the reading order. */
export type Keyboard = {
  /** Opens a page of the dashboard and signs in with an API token. */
  readonly signIn: (to: { readonly url: string; readonly token: string }, path: string) => Promise<void>;
  /** Moves the focus to an element with Tab. @throws if Tab does not reach it */
  readonly goTo: (target: Locator) => Promise<void>;
  /** Moves the focus to an element and presses a key, by default Enter. */
  readonly press: (target: Locator, key?: string) => Promise<void>;
  /** Opens the menu of a button and selects an item. */
  readonly choose: (menu: Locator, item: string) => Promise<void>;
  /** Moves the focus to a field and replaces its text. */
  readonly write: (target: Locator, text: string) => Promise<void>;
  /** Waits until the page itself has moved the focus to an element. */
  readonly receivesFocus: (target: Locator) => Promise<void>;
  /** Presses Tab through the whole page. @returns a name for each tab stop. @throws if there is no end */
  readonly tabThrough: (key?: "Tab" | "Shift+Tab") => Promise<readonly string[]>;
};

export function keyboardOf(page: Page): Keyboard {
  const goTo = async (target: Locator) => {
    for (let stops = 0; !(await checkFocus(target, stops > 0)).isAtTarget; stops += 1) {
      if (stops === MOST_STOPS) throw new Error(`Tab does not lead to ${String(target)}`);
      await page.keyboard.press("Tab");
    }
  };
  const write = async (target: Locator, text: string) => {
    await goTo(target);
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
  };
  return {
    async signIn({ url, token }, path) {
      await page.goto(url + path);
      await write(page.getByLabel("API token"), token);
      await page.keyboard.press("Enter");
    },
    goTo,
    async press(target, key = "Enter") {
      await goTo(target);
      await page.keyboard.press(key);
    },
    async choose(menu, name) {
      await goTo(menu);
      await page.keyboard.press("Enter");
      const item = page.getByRole("menuitem", { name, exact: true });
      await item.waitFor();
      const items = await page.getByRole("menuitem").count();
      for (let at = 0; !(await checkFocus(item, false)).isAtTarget; at += 1) {
        if (at === items) throw new Error(`The arrow key does not lead to ${name}`);
        await page.keyboard.press("ArrowDown");
      }
      await page.keyboard.press("Enter");
    },
    write,
    async receivesFocus(target) {
      const focused = async () => {
        const { isAtTarget, name } = await inspectFocus(target);
        return isAtTarget ? String(target) : name;
      };
      await expect.poll(focused).toBe(String(target));
      await checkFocus(target, false);
    },
    async tabThrough(key = "Tab") {
      const all = page.locator("html");
      const names: string[] = [];
      await page.evaluate("delete globalThis.stops");
      for (let stops = 0; stops < MOST_STOPS; stops += 1) {
        await page.keyboard.press(key);
        const { name, isKnown, isPage } = await checkFocus(all, key === "Tab" && stops > 0);
        if (isKnown) return names;
        if (!isPage) names.push(name);
      }
      throw new Error(`There is no end after ${names.slice(-5).join(", ")}`);
    },
  };
}

type Stop = {
  readonly name: string;
  readonly isAtTarget: boolean;
  readonly isShown: boolean;
  /** It is not above or to the left of the previous stop. */
  readonly isInOrder: boolean;
  /** It was visited before. */
  readonly isKnown: boolean;
  /** It is the document itself, which has the focus after the last stop. */
  readonly isPage: boolean;
};

/** @throws if the focus is not visible, or if Tab moved against the reading order */
async function checkFocus(target: Locator, isOnward: boolean): Promise<Stop> {
  let stop = await inspectFocus(target);
  const where = `${stop.name} of ${target.page().url()}`;
  // An object of another test may have appeared above it and shifted the page.
  for (const until = Date.now() + SETTLING_MS; !stop.isShown && Date.now() < until; await pause(20))
    stop = { ...stop, isShown: (await inspectFocus(target)).isShown };
  if (!stop.isShown) throw new Error(`The focus is not visible at ${where}`);
  if (isOnward && !stop.isInOrder) throw new Error(`Tab moves against the reading order to ${where}`);
  return stop;
}

/** The element with the focus. After the last stop, that is the document, which does not show the focus. */
function inspectFocus(target: Locator): Promise<Stop> {
  return target.evaluate((wanted) => {
    const { activeElement: at, body, defaultView: view } = wanted.ownerDocument;
    const isAtTarget = at === wanted;
    const isPage = at === null || at === body;
    if (isPage)
      return { name: "the page", isAtTarget, isShown: true, isInOrder: true, isKnown: false, isPage };
    const stops = (view.stops ??= []);
    const before = stops.at(-1);
    const isKnown = stops.includes(at);
    if (before !== at) stops.push(at);

    const text = at.ariaLabel ?? at.labels?.[0]?.textContent ?? at.textContent;
    const name = `${at.localName} "${text.trim().slice(0, 40)}"`;
    const { top, left, right, bottom } = at.getBoundingClientRect();
    const isInView = bottom > 0 && right > 0 && top < view.innerHeight && left < view.innerWidth;
    const { outlineStyle, outlineWidth } = view.getComputedStyle(at);
    const isMarked = at.matches(":focus-visible") && outlineStyle !== "none" && outlineWidth !== "0px";
    // After the last stop, Tab starts again at the top. An element comes before its descendants.
    const isAfter = before?.isConnected && before.compareDocumentPosition(at) === 4;
    const last = isAfter ? before.getBoundingClientRect() : null;
    const isAbove = last !== null && bottom <= last.top && left < last.right;
    const isLeft = last !== null && top < last.bottom && bottom > last.top && right <= last.left;
    const isInOrder = !isAbove && !isLeft;
    return { name, isAtTarget, isShown: isMarked && isInView, isInOrder, isKnown, isPage };
  });
}
