"""Every sentence by which the server refuses a request before a tab or an endpoint hears of it."""

NOT_OFFERED = "This is not offered here."
NOT_FETCHED = "Files are uploaded, not fetched from an address. Upload the file itself."
FOREIGN_FILE = (
    "Found a file that was not uploaded to this app; it fetches none from an address and opens "
    "none of the machine's. Upload the file first, and send what the upload answered."
)
UNKNOWN_HOST = (
    "This page is not served under the name by which you asked for it. Whoever runs it can add the "
    "name to FOCAL_ALLOWED_HOSTS."
)
FOREIGN_ORIGIN = (
    "A page of another site asked for this, and it is not answered. Whoever runs the app can add "
    "the site to FOCAL_ALLOWED_HOSTS, such as https://example.org."
)
NO_JSON = "The request is no proper JSON object. Send it as the documentation of the endpoint says."
TOO_DEEP = "The request is nested too deeply. Send it as the documentation of the endpoint says."
NO_FILE = "Found an upload whose file has no name. Upload files, each with its name."
BROKEN_OFF = "The upload broke off before its end and was deleted. Upload the files again."


def body_too_large(most: int) -> str:
    """A request that holds more than any question can."""
    return f"The request is larger than {most / 1e6:g} MB. Ask with less text, and upload files."


def upload_too_large(most: int) -> str:
    """One upload of too many bytes."""
    return f"The upload is larger than {most / 1e6:g} MB. Upload one recording at a time."


def too_many_files(most: int) -> str:
    """One upload of too many files."""
    return f"The upload holds more than {most} files. Upload one recording at a time."


def too_much_waits(seconds: float) -> str:
    """A visitor whose uploads wait to be read, and who sends more."""
    return (
        "Too many files from your address wait to be read. Ask for a reading of those, or try "
        f"again in {seconds:.0f} s, when what nobody asked about has been deleted."
    )


def folder_full(seconds: float) -> str:
    """No room for uploads, whoever sends them."""
    return f"The server holds as many uploads as it may. Try again in {seconds:.0f} s."


def sign_in_later(seconds: int) -> str:
    """Too many wrong passwords."""
    return f"Too many wrong passwords from your address. Try again in {seconds} s."
