"""What `confide join intersect` does with a site's file, as a function."""

from collections.abc import Sequence

from confide.join.configuration.files import SiteConfig
from confide.join.configuration.parties import asking_site
from confide.join.configuration.tasks import File, hosting
from confide.join.questions.overlap import Overlap

__all__ = ["intersect"]


def intersect(
    config: SiteConfig | File, neighbour: str, *, size_only: bool = False, with_sites: Sequence[File] = ()
) -> Overlap:
    """The join values that a site shares with a neighbour, or only how many, as the policies of both allow.

    `config` is the asking site's site.toml; the neighbour must be serving. `with_sites` are site.toml files of sites to
    serve from this process meanwhile.
    """
    read = config if isinstance(config, SiteConfig) else SiteConfig.read(config)
    site = asking_site(read)
    with hosting(with_sites, [*read.neighbours]):
        return site.overlap(neighbour, size_only=size_only)
