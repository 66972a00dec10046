import stat

import pytest

from confide.core.errors import InputError, UsageError
from confide.stream.blocks.key_file import open_key_file


def test_a_key_is_made_once_for_its_owner_alone(tmp_path):
    path = tmp_path / "stream.key"
    key = open_key_file(path)
    assert len(key) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert open_key_file(path) == key
    assert open_key_file(tmp_path / "other.key") != key


def test_what_others_may_read_or_is_no_key_is_refused(tmp_path):
    path = tmp_path / "stream.key"
    open_key_file(path)
    path.chmod(0o644)
    with pytest.raises(InputError, match="can be read by others"):
        open_key_file(path)
    (tmp_path / "short").write_bytes(b"123")
    with pytest.raises(InputError, match="holds 3 bytes, but a key is 32"):
        open_key_file(tmp_path / "short")
    with pytest.raises(UsageError, match="does not exist"):
        open_key_file(tmp_path / "none" / "key")
