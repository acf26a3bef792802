async (content, name, kind, said) => {
  // What the server made, saved or copied by the browser; it lies on no disk but the visitor's.
  if (!content) return ["", said];
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  if (kind === "copy") {
    const text = new TextDecoder().decode(bytes);
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      window.prompt("", text);
    }
    return ["", said];
  }
  const picture = async () => {
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([bytes], { type: "image/svg+xml" }));
    await image.decode();
    const canvas = document.createElement("canvas");
    const dots = 300 / 96;
    canvas.width = Math.round(image.naturalWidth * dots);
    canvas.height = Math.round(image.naturalHeight * dots);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  };
  const blob = kind === "image/png" ? await picture() : new Blob([bytes], { type: kind });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  return ["", said];
}
