"""Who knows the wind to come? Port control: it sends the forecast in force at every watch."""

from __future__ import annotations

from collections.abc import Iterable

from actors.messages import ASSESSOR, Envelope, Notice, Tick, WeatherTestimony
from port.briefing import forecast_text
from port.model import Weather
from port.weather import forecast_at, next_bulletin

from .base import Speaker


class PortControl(Speaker):
    """Holds the wind that will blow and every forecast run; says only what is out by the hour."""

    def __init__(self, name: str, weather: Weather, authorities: Iterable[str]) -> None:
        super().__init__(name, (), authorities)
        self._weather = weather
        self._watch_hour = 0

    def tell(self, tick: Tick) -> list[Envelope]:
        self._watch_hour = tick.hour
        forecast = forecast_at(self._weather, tick.hour)
        return [self.send(self.audience, Notice(text=forecast_text(forecast), effect=forecast))]

    def has_news(self) -> bool:
        return next_bulletin(self._weather, self._watch_hour) == self.hour

    def testify(self) -> list[Envelope]:
        return [self.send(ASSESSOR, WeatherTestimony(windows=self._weather.windows))]
