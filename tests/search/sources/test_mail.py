"""Mail in every form people keep it, broken messages included."""

import mailbox
from email.message import EmailMessage

import pytest

from confide.core.errors import InputError
from confide.search.sources.mail import message_text, read_mail

BROKEN = (
    b"From: a@example.org\nSubject: =?no-such-charset?q?caf=E9?= latte\n"
    b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n!!!not base64 at all\xff\xfe\n"
)


def message(subject, text, page=None):
    made = EmailMessage()
    made["Subject"], made["From"] = subject, "anna@example.org"
    if text is not None:
        made.set_content(text)
    if page is not None:
        made.add_alternative(page, subtype="html") if text else made.set_content(page, subtype="html")
    return made


@pytest.fixture
def messages():
    attached = message("Pictures", "see the harbour")
    attached.add_attachment("secret,word\n", subtype="csv", filename="x.csv")
    return [
        message("Tandem über alles", "the tandem needs a saddle\n> older words\nFrom here on it is fine"),
        message("Recipe", None, "<p>sourdough <b>crust</b><script>evil()</script>"),
        attached,
    ]


def words(found):
    return "\n".join(document.text for document in found)


def test_mbox_maildir_and_eml_say_the_same(tmp_path, messages):
    box = mailbox.mbox(tmp_path / "all.mbox")
    folder = mailbox.Maildir(tmp_path / "maildir")
    single = tmp_path / "eml"
    single.mkdir()
    for number, made in enumerate(messages):
        box.add(made)
        folder.add(made)
        (single / f"{number}.eml").write_bytes(made.as_bytes())
    box.close()
    texts = [
        sorted(d.text.split() for d in read_mail(p)) for p in (tmp_path / "all.mbox", tmp_path / "maildir", single)
    ]
    assert texts[0] == texts[1] == texts[2]
    said = words(read_mail(tmp_path / "all.mbox"))
    assert "Tandem über alles" in said
    assert "sourdough crust" in said
    assert "From here on" in said
    assert not any(word in said for word in ("older", "evil", "secret"))


def test_broken_encodings_are_read_as_far_as_they_go(tmp_path):
    (tmp_path / "x.eml").write_bytes(BROKEN)
    (tmp_path / "y.eml").write_bytes("Subject: Grüße\n\naus München".encode("latin-1"))
    said = words(read_mail(tmp_path))
    assert "café latte" in said
    assert "aus München" in said


def test_what_is_no_mail_gets_one_line(tmp_path):
    with pytest.raises(InputError, match="holds no mail"):
        list(read_mail(tmp_path))
    with pytest.raises(InputError, match="no such file"):
        list(read_mail(tmp_path / "none"))
    lines = []
    (tmp_path / "x.eml").write_bytes(b"\x00\x01\x02")
    (tmp_path / "y.eml").write_bytes(b"Subject: tea\n\ngreen\n")
    assert len(list(read_mail(tmp_path, skipped=lines.append))) == 1
    assert len(lines) == 1
    assert "x.eml" in lines[0]


def test_headers_other_than_the_subject_are_not_read():
    assert "anna" not in message_text(b"From: anna@example.org\nTo: otto@example.org\nSubject: tea\n\nleaves\n")


def test_names_in_from_to_and_cc_come_with_a_message(tmp_path):
    file = tmp_path / "one.eml"
    file.write_bytes(
        b"From: ann@example.org (Ann B)\nTo: =?utf-8?q?J=C3=B6rg?= <j@example.org>, c@example.org\n"
        b"Cc: Dora <d@example.org>\nSubject: ride\n\nOn Monday J wrote:\n| no\nyes\n-- \nAnn\n"
    )
    (message,) = read_mail(file)
    assert message.people == ("Ann B", "J\u00f6rg", "Dora")
    assert message.text == "ride\nyes"
