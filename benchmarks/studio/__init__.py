"""The studio: how soon it answers, how large its server grows, how fast a job is cancelled."""
