"""The database that other tests stand on."""

import adbc_driver_postgresql.dbapi as adbc
import pytest


@pytest.mark.postgres
def test_a_postgresql_of_our_own_keeps_what_it_is_given(postgres):
    with adbc.connect(postgres) as link, link.cursor() as cursor:
        cursor.execute("CREATE TABLE kept (a int)")
        cursor.execute("INSERT INTO kept VALUES (7)")
        link.commit()
    with adbc.connect(postgres) as link, link.cursor() as cursor:
        cursor.execute("SELECT a FROM kept")
        assert cursor.fetchall() == [(7,)]
