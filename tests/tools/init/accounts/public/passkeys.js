const base = new URL("..", import.meta.url);

async function post(path, body) {
  const response = await fetch(new URL(path, base), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(String(response.status));
  return response.status === 204 ? undefined : await response.json();
}

async function logIn() {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(await post("login/passkey/options", {}));
  const credential = await navigator.credentials.get({ publicKey: options });
  const next = document.querySelector("[name=next]")?.value ?? "";
  const done = await post(`login/passkey?next=${encodeURIComponent(next)}`, credential.toJSON());
  location.assign(done.next);
}

async function add(form) {
  const password = form.elements["add-password"].value;
  const code = form.elements["code"]?.value ?? "";
  const options = PublicKeyCredential.parseCreationOptionsFromJSON(
    await post("account/passkeys/options", { password, code }),
  );
  const credential = await navigator.credentials.create({ publicKey: options });
  await post("account/passkeys", credential.toJSON());
  location.reload();
}

if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined) {
  for (const element of document.querySelectorAll("[data-passkey]")) {
    element.hidden = false;
    const isForm = element.dataset.passkey === "add";
    element.addEventListener(isForm ? "submit" : "click", async (event) => {
      event.preventDefault();
      try {
        await (isForm ? add(element) : logIn());
      } catch {
        element.querySelector(".error")?.removeAttribute("hidden");
      }
    });
  }
}
