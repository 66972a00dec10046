import urllib.request

import pytest
from tests.studio.opened import ask, open_studio


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with open_studio(tmp_path_factory.mktemp("folder")) as studio:
        yield studio


@pytest.mark.parametrize(
    ("data", "kind", "status"),
    [
        (b"do=save", "application/x-www-form-urlencoded", 400),
        (b"invent=\xff", "application/x-www-form-urlencoded", 400),
        (b"invent=%ff", "application/x-www-form-urlencoded", 400),
        (b"a&" * 100_000, "application/x-www-form-urlencoded", 400),
        (b"a" * (5 << 20), "application/x-www-form-urlencoded", 413),
        (b"--x\r\n\r\n", "multipart/form-data; boundary=x", 415),
        (b"{}", "application/json", 404),
    ],
)
def test_what_is_no_form_of_ours_gets_one_line_and_the_server_lives(opened, data, kind, status):
    request = urllib.request.Request(opened.url + "run", data=data, headers={"Content-Type": kind})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == status
    assert ask(opened.url)[0] == 200
