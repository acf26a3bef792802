// Gradio's page says "incorrect" for a wrong password and nothing at all where guessing has to wait:
// the sentence of the server is put where it asks for the password.
(() => {
  const ask = window.fetch;
  window.fetch = async (...asked) => {
    const answer = await ask(...asked);
    if (answer.status === 429 && String(asked[0]).endsWith("/login")) {
      const said = (await answer.clone().json()).detail;
      const place = document.querySelector("p.auth");
      if (place) {
        place.textContent = said;
        place.setAttribute("role", "alert");
      }
    }
    return answer;
  };
})();
