import { Component, type ComponentType } from "preact";

/**
 * The same component, made anew only when one of its props has become another: in a long list that is scrolled, most rows
 * stay what they were.
 */
export function memo<Props extends object>(Shown: ComponentType<Props>): ComponentType<Props> {
  return class Kept extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return isOther(this.props, next);
    }

    override render() {
      return <Shown {...this.props} />;
    }
  };
}

function isOther(before: object, after: object): boolean {
  const now = new Map(Object.entries(after));
  const then = Object.entries(before);
  return then.length !== now.size || then.some(([name, value]) => !Object.is(value, now.get(name)));
}
