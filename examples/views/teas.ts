/**
 * The tea shop's inventory.
 *
 * @module
 */

/** A tea in the shop. */
export interface Tea {
  readonly Id: number;
  readonly Name: string;
  readonly Origin: string;
  /** The color of the brewed tea. */
  readonly Color: string;
  readonly Cents: number;
  readonly Minutes: number;
  readonly Degrees: number;
  readonly Notes: readonly string[];
}

/** All teas, by number. */
export const teas: readonly Tea[] = [
  {
    Id: 1,
    Name: "Gyokuro",
    Origin: "Yame, Japan",
    Color: "#b9c46a",
    Cents: 1890,
    Minutes: 2,
    Degrees: 55,
    Notes: ["seaweed", "melon", "cream"],
  },
  {
    Id: 2,
    Name: "Dong Ding Oolong",
    Origin: "Nantou, Taiwan",
    Color: "#d9a441",
    Cents: 1450,
    Minutes: 3,
    Degrees: 95,
    Notes: ["roasted nuts", "honey"],
  },
  {
    Id: 3,
    Name: "Assam “Halmari” <GTGFOP1>",
    Origin: "Dibrugarh, India",
    Color: "#9c4a1a",
    Cents: 990,
    Minutes: 4,
    Degrees: 98,
    Notes: ["malt", "dried fruit", "spice & smoke"],
  },
  {
    Id: 4,
    Name: "Old Tree Pu'er",
    Origin: "Lincang, China",
    Color: "#5b2c17",
    Cents: 2300,
    Minutes: 1,
    Degrees: 100,
    Notes: ["forest floor", "camphor"],
  },
];
