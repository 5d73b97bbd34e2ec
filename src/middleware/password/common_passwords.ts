/**
 * Recognizes passwords that attackers try first. Loaded with the first check.
 *
 * Lists of leaked passwords consist mainly of a few hundred words and their variations: with digits or a year at the
 * end, with capital letters, with similar characters, doubled, or as neighbors on a keyboard. So a password is taken
 * apart into such pieces, which finds many more of them than a list of the same size.
 *
 * @module
 */

/** The words, without digits and in lower case. Those that are parts of others come later in a match. */
const words = new Set(
  ("password passwort passwd passphrase pass word letmein welcome willkommen login admin administrator root master " +
    "superuser guest default test testing temp changeme change secret secure security access server system user " +
    "username name love iloveyou loveyou loveme lovely lover forever always baby babygirl babyboy angel angels princess " +
    "prince queen king sunshine sunflower flower flowers rainbow butterfly summer winter spring autumn monkey dragon " +
    "tiger lion eagle eagles panther falcon phoenix unicorn horse dolphin shadow killer hunter ranger trustno trust " +
    "football fussball baseball basketball soccer hockey tennis golf golfer player gamer game games winner champion " +
    "liverpool arsenal chelsea manchester united barcelona realmadrid juventus bayern dortmund yankees lakers cowboys " +
    "steelers packers redsox superman batman spiderman ironman starwars jedi yoda pokemon pikachu naruto goku hello " +
    "hallo holla aloha bonjour ciao qwerty qwertz azerty asdf zxcv computer internet google facebook twitter youtube " +
    "amazon apple samsung android iphone windows microsoft linux michael michelle jennifer jessica ashley amanda sarah " +
    "nicole daniel daniela andrew andrea anthony matthew joshua justin jordan robert thomas charlie charles jonathan " +
    "christian christopher alexander alexandra benjamin nicholas william samantha elizabeth katherine victoria vanessa " +
    "veronica patricia natalie melissa stephanie rachel rebecca hannah sophie sophia oliver olivia lucas max maximilian " +
    "felix leon anna maria martin peter stefan thomas andreas sandra sabine monika julia laura lisa marie george harley " +
    "ginger buster cookie cookies pepper maggie bailey buddy bella lucky rocky molly sammy tigger snoopy garfield " +
    "chocolate cheese coffee banana orange cherry strawberry pumpkin peanut butter sugar honey candy pizza chicken " +
    "bacon beer whiskey vodka silver golden gold diamond crystal purple yellow black white blue green red pink orange " +
    "mustang corvette ferrari porsche mercedes bmw audi toyota honda yamaha camaro harley davidson freedom liberty " +
    "peace power energy music guitar rock metal metallica nirvana slipknot eminem beatles elvis jesus christ god " +
    "heaven blessed faith hope grace amen family mother father mama papa sister brother friend friends bestfriend " +
    "mommy daddy honey sweet sweetie sweetheart darling schatz liebe geheim hallo sommer sonne blume engel hase " +
    "maus katze hund pferd teddy bear bunny kitty kitten puppy dog cat fish bird bonjour soleil amour chocolat " +
    "motdepasse contrasena hola amor teamo tequiero estrella princesa corazon senha brasil flamengo corinthians " +
    "deutschland germany england france america canada australia london paris berlin newyork texas california florida " +
    "chicago boston dallas hawaii mexico china india japan today tomorrow monday tuesday wednesday thursday friday " +
    "saturday sunday january february march april june july august september october november december please thankyou " +
    "thanks whatever nothing something anything everything fuckyou fuck fucker fuckoff asshole bitch shit sexy hot " +
    "cool awesome amazing great good best super mega ultra hacker hack ninja pirate matrix merlin wizard magic dragonball " +
    "blink snow storm thunder lightning fire water earth ocean beach island paradise moon star stars sky " +
    "nascar racing speed turbo maverick gandalf frodo hobbit tolkien potter harry hogwarts dumbledore vader skywalker " +
    "solo trooper sniper soldier warrior knight samurai spartan viking titan hammer steel iron jackson johnson smith " +
    "jones williams brown davis miller wilson taylor moore anderson martinez garcia rodriguez hernandez lopez gonzalez " +
    "correct battery staple example sample demo account member customer client office company business work job money " +
    "dollar million success school college student teacher doctor nurse police army navy marine airforce one two three " +
    "four five six seven eight nine ten zero first second new old big little my the is and you me to for of in a i abc " +
    "xyz abcd aaa your this that what who are am not no yes ok it be do go we us on at by or if so up")
    .split(" "),
);
const longestWord = Math.max(...Array.from(words, ({ length }) => length));
/** The words that carry no meaning of their own. A password may contain any number of them. */
const small = new Set([...words].filter(({ length }) => length <= 3));

/** The rows of keyboards and other sequences, in both directions. */
const sequences = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertzuiop",
  "yxcvbnm",
  "azertyuiop",
  "qsdfghjklm",
  "wxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "1q2w3e4r5t6y7u8i9o0p",
  "q1w2e3r4t5y6u7i8o9p0",
  "147258369",
  "!@#$%^&*()_+",
  '!"§$%&/()=?',
].flatMap((each) => [each, [...each].reverse().join("")]);

/** The characters that are used instead of letters. */
const similar: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "@": "a",
  "$": "s",
  "!": "i",
  "|": "l",
  "€": "e",
};

/** The maximum number of different words in a common password. With three, guesses become expensive. */
const mostWords = 2;

/** Reports whether a password is common. */
export function isCommon(password: string): boolean {
  const plain = password.toLowerCase().normalize("NFC");
  const found = fewestWords(plain, words);
  return found !== undefined && found <= mostWords;
}

/** Reports whether a password consists mainly of words that others know. */
export function isKnown(password: string, known: readonly string[]): boolean {
  const own = known.flatMap((each) => each.toLowerCase().normalize("NFC").split(/[^\p{L}\p{N}]+/u))
    .filter(({ length }) => length >= 3);
  if (own.length === 0) return false;
  const plain = password.toLowerCase().normalize("NFC");
  const all = new Set([...words, ...own]);
  const found = fewestWords(plain, all, new Set([...small, ...own]));
  return found !== undefined && found < mostWords;
}

/**
 * Returns the number of different words in the cheapest division of a string into words, sequences, repetitions, digits
 * and separators, or `undefined` if the string cannot be divided in this way.
 */
function fewestWords(text: string, list: ReadonlySet<string>, free: ReadonlySet<string> = small): number | undefined {
  const letters = [...text].map((each) => similar[each] ?? each).join("");
  const longest = Math.max(longestWord, ...Array.from(free, ({ length }) => length));
  /** The cheapest division of the string up to each position. */
  const best: (ReadonlySet<string> | undefined)[] = [new Set()];
  for (let at = 0; at < text.length; at++) {
    const before = best[at];
    if (before === undefined) continue;
    const reach = (end: number, word?: string) => {
      const used = word === undefined || free.has(word) ? before : new Set([...before, word]);
      const other = best[end];
      if (other === undefined || used.size < other.size) best[end] = used;
    };
    for (let end = at + 1; end <= Math.min(text.length, at + longest); end++) {
      for (const part of new Set([text.slice(at, end), letters.slice(at, end)])) if (list.has(part)) reach(end, part);
    }
    const filler = fillerAt(text, at);
    if (filler > at) { for (let end = at + 1; end <= filler; end++) reach(end); }
  }
  return best[text.length]?.size;
}

/** Returns the end of the digits, separators, repetitions or sequence at a position. */
function fillerAt(text: string, at: number): number {
  let end = at;
  while (end < text.length && /[\d\s\p{P}\p{S}]/u.test(text.charAt(end))) end++;
  let repeated = at + 1;
  while (repeated < text.length && text[repeated] === text[at]) repeated++;
  if (repeated - at >= 3) end = Math.max(end, repeated);
  for (const sequence of sequences) {
    const from = sequence.indexOf(text.slice(at, at + 3));
    if (from < 0 || text.length - at < 3) continue;
    let length = 3;
    while (at + length < text.length && text[at + length] === sequence[from + length]) length++;
    end = Math.max(end, at + length);
  }
  return end;
}
